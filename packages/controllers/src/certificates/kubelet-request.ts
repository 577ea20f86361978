import type { CertificateRequest } from "@pilothouse/api/x509"

/** The signers of upstream's signing controller. */
export const signerNames = {
  kubeletServing: "kubernetes.io/kubelet-serving",
  kubeletClient: "kubernetes.io/kube-apiserver-client-kubelet",
  apiServerClient: "kubernetes.io/kube-apiserver-client",
  legacyUnknown: "kubernetes.io/legacy-unknown",
} as const

/** The signers whose requests the controllers approve and sign. */
export type SignerName = (typeof signerNames)[keyof typeof signerNames]

type Named = Pick<CertificateRequest, "subject" | "names">

const organizationFault = "subject organization is not system:nodes"
const commonNameFault = "subject common name does not begin with system:node:"

/** Returns why a request is not one for the certificate that a kubelet shows the API server, in upstream's words; undefined where it is. */
export function kubeletClientFault({ subject, names }: Named, usages: readonly string[]): string | undefined {
  if (!isOfNodes(subject)) return organizationFault
  if (names.dns.length > 0) return "DNS subjectAltNames are not allowed"
  if (names.email.length > 0) return "Email subjectAltNames are not allowed"
  if (names.ip.length > 0) return "IP subjectAltNames are not allowed"
  if (names.uri.length > 0) return "URI subjectAltNames are not allowed"
  if (!isNode(subject)) return commonNameFault
  return usageFault(usages, ["client auth", "digital signature", "key encipherment"])
}

/** Returns why a request is not one for the certificate that a kubelet serves with; undefined where it is. */
export function kubeletServingFault({ subject, names }: Named, usages: readonly string[]): string | undefined {
  if (!isOfNodes(subject)) return organizationFault
  if (names.dns.length === 0 && names.ip.length === 0) return "DNS or IP subjectAltName is required"
  if (names.email.length > 0) return "Email subjectAltNames are not allowed"
  if (names.uri.length > 0) return "URI subjectAltNames are not allowed"
  return usageFault(usages, ["digital signature", "key encipherment", "server auth"]) ?? (isNode(subject) ? undefined : commonNameFault)
}

/** Returns why usages are not those of a client of the API server; undefined where they are. */
export function clientUsageFault(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !["digital signature", "key encipherment", "client auth"].includes(usage))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  return usages.includes("client auth") ? undefined : "missing required usage for client certificate: client auth"
}

function isOfNodes({ organizations }: Named["subject"]): boolean {
  return organizations.length === 1 && organizations[0] === "system:nodes"
}

function isNode({ commonName }: Named["subject"]): boolean {
  return commonName.startsWith("system:node:")
}

/** Exactly these; keys that are not RSA cannot encipher, so that one may be left out. */
function usageFault(usages: readonly string[], required: readonly string[]): string | undefined {
  const given = new Set(usages)
  const needed = required.filter((usage) => usage !== "key encipherment" || given.has(usage))
  const isSame = needed.every((usage) => given.has(usage)) && given.size === needed.length
  return isSame ? undefined : `usages did not match [${required.join(" ")}]`
}
