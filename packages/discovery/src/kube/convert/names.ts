/** "web.shop.svc.cluster.local" */
export function hostnameOf(ref: { readonly namespace?: string; readonly name?: string }, domainSuffix: string): string {
  return `${ref.name}.${ref.namespace}.svc.${domainSuffix}`
}

/** "spiffe://cluster.local/ns/shop/sa/web" */
export function identityOf(namespace: string, account: string, trustDomain: string): string {
  return `spiffe://${trustDomain}/ns/${namespace}/sa/${account}`
}

/** The parts of a comma-separated annotation; none where it is absent. */
export function commaList(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
}
