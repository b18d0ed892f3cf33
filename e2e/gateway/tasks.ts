/** What a hand can do. */
export type Task =
  | { readonly do: 'serve'; readonly addresses: readonly string[]; readonly port: number }
  | {
      readonly do: 'connect';
      readonly host: string;
      readonly port: number;
      /** The port it comes from. */
      readonly from?: number;
      /** The address it comes from. */
      readonly as?: string;
      /** Keeps the connection, under this name. */
      readonly hold?: string;
    }
  | { readonly do: 'say'; readonly hold: string; readonly text: string }
  /** To all that are connected to a server here. */
  | { readonly do: 'push'; readonly text: string }
  | { readonly do: 'hear'; readonly hold: string }
  | {
      readonly do: 'datagrams';
      readonly host: string;
      readonly port: number;
      readonly from: number;
      readonly count: number;
    }
  | {
      readonly do: 'ask';
      readonly url: string;
      readonly method: string;
      readonly body?: string;
      readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
    };
