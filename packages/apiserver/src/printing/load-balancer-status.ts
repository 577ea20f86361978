interface LoadBalancerStatus {
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[]
}

/** Addresses or host names, sorted and each once. */
export function ingressAddresses(status: LoadBalancerStatus | undefined): readonly string[] {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "")
  return [...new Set(addresses.filter((address) => address !== ""))].sort()
}
