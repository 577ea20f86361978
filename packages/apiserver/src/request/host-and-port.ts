/** "192.0.2.1:6443", "[2001:db8::1]:6443". */
export function hostAndPort(address: string, port: number): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`
}
