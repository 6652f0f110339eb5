// SPDX-License-Identifier: Apache-2.0
`define LIST_WIDTH 48
