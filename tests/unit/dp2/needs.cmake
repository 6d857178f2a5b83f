# The generator of examples/dp2, run by test_capture against the committed captures.
add_executable(dp2-make-captures ${PROJECT_SOURCE_DIR}/examples/dp2/make_captures.c)
target_link_libraries(dp2-make-captures PRIVATE cdxr_options cdxr_dp2)
add_dependencies(unit_dp2_capture dp2-make-captures)
# What rays see of the example captures is what the rasteriser draws (and the program's sub-commands work).
if(TARGET cdxr-program)
  foreach(capture strip scene soup patches)
    add_test(NAME dp2_visibility_${capture} COMMAND cdxr-program dp2 trace ${PROJECT_SOURCE_DIR}/examples/dp2/${capture}.dp2 --compare)
    add_test(NAME dp2_check_${capture} COMMAND cdxr-program dp2 check ${PROJECT_SOURCE_DIR}/examples/dp2/${capture}.dp2)
    set_tests_properties(dp2_visibility_${capture} dp2_check_${capture} PROPERTIES TIMEOUT 300)
  endforeach()
endif()
