import { certificateAuthority } from "@pilothouse/apiserver"
import { type Clock, type Files, PilothouseError, type Random, readText } from "@pilothouse/seams"
import { signClientCertificate } from "../certificates/client-certificate.ts"
import { type Kubeconfig, ownName } from "./kubeconfig.ts"

interface UserKubeconfigOptions {
  /** That of the administrator: it says where the cluster is. */
  readonly config: Kubeconfig
  /** The data directory of the cluster, whose authority signs. */
  readonly directory: string
  readonly user: string
  readonly groups: readonly string[]
  readonly files: Files
  readonly clock: Clock
  readonly random: Random
}

/** Returns a kubeconfig of another user of the cluster: its client certificate is signed for a year, and no request to the cluster is needed. */
export function userKubeconfig({ config, directory, user, groups, files, clock, random }: UserKubeconfigOptions): Kubeconfig {
  const authority = certificateAuthority({
    certificate: fileIn(files, `${directory}/pki/ca.crt`),
    key: fileIn(files, `${directory}/pki/ca.key`),
  })
  const { certificate, key } = signClientCertificate({ authority, user, groups, clock, random })
  const credentials = {
    "client-certificate-data": Buffer.from(certificate).toString("base64"),
    "client-key-data": Buffer.from(key).toString("base64"),
  }
  const [{ name: cluster } = { name: ownName }] = config.clusters
  const name = `${user}@${cluster}`
  return {
    ...config,
    users: [{ name: user, user: credentials }],
    contexts: [{ name, context: { cluster, user } }],
    "current-context": name,
  }
}

function fileIn(files: Files, path: string): string {
  const text = readText(files, path)
  if (text !== undefined) return text
  throw new PilothouseError(
    "USAGE",
    `expected the cluster's authority at ${path}, found nothing; name the data directory of the cluster with --data-dir`,
  )
}
