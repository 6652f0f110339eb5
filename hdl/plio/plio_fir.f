// Symmetric cint16 FIR: coefficients, shift and rounding by AXI-Lite, one beat a cycle.
+incdir+../common
../axil/axil_pkg.sv
../axil/axil_regs.sv
../axis/fifo_sync.sv
plio_valid_words.sv
plio_round_shift.sv
plio_saturate.sv
plio_fir_window.sv
plio_fir_lane.sv
plio_fir_regs_pkg.sv
plio_fir_regs.sv
plio_fir.sv
