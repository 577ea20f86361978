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

export interface PairNames {
  readonly certificate: string
  readonly key: string
}

export const pairNames = {
  ca: { certificate: fileNames.caCertificate, key: fileNames.caKey },
  server: { certificate: fileNames.serverCertificate, key: fileNames.serverKey },
  admin: { certificate: fileNames.adminCertificate, key: fileNames.adminKey },
} as const satisfies Record<string, PairNames>

export const caSubject = "CN=pilothouse-ca"
export const serverSubject = "CN=kube-apiserver"
/** Members of system:masters may do everything. */
export const adminSubject = "CN=kubernetes-admin, O=system:masters"

/** Returns the names and addresses of the serving certificate; more addresses where it is reached from other machines. */
export function serverNames(
  serviceIp: string,
  addresses: readonly string[] = [],
): { readonly dns: readonly string[]; readonly ip: readonly string[] } {
  return {
    dns: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"],
    ip: [...new Set(["127.0.0.1", "::1", serviceIp, ...addresses])],
  }
}
