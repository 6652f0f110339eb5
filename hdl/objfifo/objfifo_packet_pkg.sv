// SPDX-License-Identifier: Apache-2.0
//
// objfifo_packet_pkg - what the packet switch is told by its registers (docs/objfifo-array.md,
// Packets).

package objfifo_packet_pkg;

  localparam int unsigned Arbiters = 8;
  localparam int unsigned Slots    = 4; // of a source

  // Where packets with matching ids go.
  typedef struct packed {
    logic [2:0] arbiter;
    logic [1:0] msel;
    logic       enable;
    logic [4:0] mask;
    logic [4:0] id;
  } slot_t;

  // What a target takes.
  typedef struct packed {
    logic [3:0] msels;          // bit m: packets with MSEL = m
    logic [2:0] arbiter;
    logic       drop_header;
    logic       packet;         // packets, not the words of a circuit
  } take_t;

endpackage
