/* Numbers of the protocol, as far as this server speaks it. */

export const RECORD_TYPES = { A: 1, NS: 2, SOA: 6, TXT: 16, AAAA: 28, SRV: 33 } as const;
export type RecordType = keyof typeof RECORD_TYPES;

export const TYPE_OPT = 41;
export const TYPE_IXFR = 251;
export const TYPE_AXFR = 252;
export const TYPE_ANY = 255;
/** Types from here to 255 ask for something other than records. */
export const FIRST_META_TYPE = 128;

export const CLASS_IN = 1;

export const RCODES = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;
export type Rcode = keyof typeof RCODES;

export const HEADER_BYTES = 12;
/** What every client takes over UDP without saying so. */
export const PLAIN_UDP_BYTES = 512;
/** The most that a message over TCP can have. */
export const TCP_BYTES = 65_535;
