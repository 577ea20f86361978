/** Nobody else can listen in there: the only hosts that xDS may be served at in plain. */
export function isLoopback(host: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(host) || host === "::1" || host === "localhost" || host.startsWith("unix:")
}
