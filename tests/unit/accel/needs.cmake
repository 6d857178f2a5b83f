# The builder is looked at through the traversal.
target_link_libraries(unit_accel_build PRIVATE cdxr_trace)
