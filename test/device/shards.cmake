# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# write_shard(path header namespace (suite types)...)
# Writes a source that instantiates typed test suites of a header, each for a testing::Types. Compiling them takes long,
# so that several programs share the types of one header.
function(write_shard path header namespace)
    set(instances "")
    while(ARGN)
        list(POP_FRONT ARGN suite types)
        string(APPEND instances
            "using types_of_${suite} = ${types};\nINSTANTIATE_TYPED_TEST_SUITE_P(Shard, ${suite}, types_of_${suite});\n")
    endwhile()
    file(CONFIGURE OUTPUT "${path}" CONTENT
        "#include \"@header@\"\nnamespace @namespace@ {\n@instances@} // namespace @namespace@\n" @ONLY)
endfunction()
