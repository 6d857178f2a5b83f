# The generator of examples/dp2, run by test_capture against the committed captures.
add_executable(dp2-make-captures ${PROJECT_SOURCE_DIR}/examples/dp2/make_captures.c)
target_link_libraries(dp2-make-captures PRIVATE cdxr_options cdxr_dp2)
add_dependencies(unit_dp2_capture dp2-make-captures)
