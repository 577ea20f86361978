import { checkDns1123Subdomain, type NameOptions } from "@pilothouse/api"

/** Returns the check of a ClusterTrustBundle's name: of a signer's bundle it begins with the signer, "example.com:signer:name"; of no signer's it has no colon. */
export function checkTrustBundleName(signerName: string): (name: string, options?: NameOptions) => readonly string[] {
  if (signerName === "") {
    const text = 'ClusterTrustBundle without signer name must not have ":" in its name'
    return (name, options) => (name.includes(":") ? [text] : checkDns1123Subdomain(name, options))
  }
  const prefix = `${signerName.replaceAll("/", ":")}:`
  const text = `ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`
  return (name, options) => (name.startsWith(prefix) ? checkDns1123Subdomain(name.slice(prefix.length), options) : [text])
}

/** Returns the signer that the name of a bundle says; "" for a bundle of no signer. */
export function signerOfBundle(name: string): string {
  const end = name.lastIndexOf(":")
  return end < 0 ? "" : name.slice(0, end).replaceAll(":", "/")
}
