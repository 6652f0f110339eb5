// Object FIFO engines, the streams between them, and workers for cores.
-F objfifo.f
objfifo_crossing.sv
objfifo_way.sv
objfifo_worker.sv
objfifo_switch.sv
objfifo_packet_pkg.sv
objfifo_packet_source.sv
objfifo_packet_arbiter.sv
objfifo_packet_switch.sv
objfifo_switch_regs_pkg.sv
objfifo_switch_regs.sv
objfifo_array.sv
