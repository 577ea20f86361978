/** Files of the certificate directory, named as kubeadm names them. */
export const fileNames = {
  caCertificate: "ca.crt",
  caKey: "ca.key",
  serverCertificate: "apiserver.crt",
  serverKey: "apiserver.key",
  adminCertificate: "admin.crt",
  adminKey: "admin.key",
  serviceAccountKey: "sa.key",
  serviceAccountPublicKey: "sa.pub",
} as const

export const caSubject = "CN=pilothouse-ca"
export const serverSubject = "CN=kube-apiserver"
/** Members of system:masters may do everything. */
export const adminSubject = "CN=kubernetes-admin, O=system:masters"

/** What a client may call this server; more addresses where it is reached from other machines. */
export function serverNames(
  serviceIp: string,
  addresses: readonly string[] = [],
): { readonly dns: readonly string[]; readonly ip: readonly string[] } {
  return {
    dns: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"],
    ip: [...new Set(["127.0.0.1", "::1", serviceIp, ...addresses])],
  }
}
