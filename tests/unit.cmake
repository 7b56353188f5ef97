# The unit tests of the library.
upsweep_test(test_order)
upsweep_test(test_prefix_stack)
upsweep_test(test_scan)
upsweep_test(test_reduce)
upsweep_test(test_engines)
upsweep_test(test_operators)
upsweep_test(test_float16)
upsweep_test(test_accuracy)
