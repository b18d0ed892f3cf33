/** As it stands in a URL: `192.0.2.1:80`, `[2001:db8::1]:80`, `web.example:80`. */
export function joinHostPort(host: string, port: number | string): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
