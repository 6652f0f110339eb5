// Packet splitter: checks headers, sends packets to N ports by id.
+incdir+../common
../axis/skid_buffer.sv
plio_valid_words.sv
plio_pkt_split.sv
