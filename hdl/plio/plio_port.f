// PLIO port: TKEEP rules, 32 to 64 bit pairing, crossing to the AI Engine clock, 32-bit stream.
+incdir+../common
../axis/reset_sync.sv
../axis/skid_buffer.sv
../axis/fifo_async.sv
../axis/axis_async_fifo.sv
../axis/axis_upsizer.sv
../axis/axis_downsizer.sv
plio_keep_rule.sv
plio_port.sv
