import { checkDns1123Subdomain } from "@pilothouse/api"

/** The fault of the extra fields that a request impersonates, in the words of upstream; the oldest mode takes any. */
export function extraFault(extra: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === "") return "impersonating the empty string key in extra is not allowed"
    const fault = pathFault(key)
    if (fault !== undefined) return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${fault}`
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed"
  }
  return undefined
}

/** A key is a domain and a path in it: "acme.io/foo". */
function pathFault(key: string): string | undefined {
  const slash = key.indexOf("/")
  const [domain, path] = [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)]
  if (domain === "" || path === "") return `${JSON.stringify(key)}: must be a domain-prefixed path (such as "acme.io/foo")`
  const [fault] = checkDns1123Subdomain(domain)
  return fault === undefined ? undefined : `${JSON.stringify(domain)}: ${fault}`
}
