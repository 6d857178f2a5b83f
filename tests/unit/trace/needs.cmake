# Scenes are built by accel.
target_link_libraries(unit_trace_traversal PRIVATE cdxr_accel cdxr_test_ref)
target_link_libraries(unit_trace_micromap PRIVATE cdxr_accel cdxr_test_ref)
