# The builder is looked at through the traversal.
foreach(test builders build update copy)
  if(TARGET unit_accel_${test})
    target_link_libraries(unit_accel_${test} PRIVATE cdxr_trace)
  endif()
endforeach()
