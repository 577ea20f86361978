import type { Clock, Files } from "@pilothouse/seams"
import { readText } from "@pilothouse/seams"
import type { ClusterConnection } from "./connect.ts"
import { readPem } from "./pem.ts"
import { fileToken } from "./token.ts"
import type { Environment } from "./types.ts"

/** The service account volume of a pod. */
const directory = "/var/run/secrets/kubernetes.io/serviceaccount"

export interface InClusterOptions {
  readonly files: Files
  readonly clock: Clock
  readonly environment: Environment
}

/** Returns the connection to the API server of the cluster that this pod runs in, as its service account. Undefined outside a pod. */
export function inCluster({ files, clock, environment }: InClusterOptions): ClusterConnection | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment
  const tokenPath = `${directory}/token`
  if (!host || !port || files.facts(tokenPath) === undefined) return undefined
  const authorities = readPem({ file: `${directory}/ca.crt`, what: "CA of the service account", from: directory }, { files, clock })
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    authorities: () => authorities?.(),
    credentials: fileToken({ files, clock, path: tokenPath, what: "the token of the service account" }),
    namespace: environment.POD_NAMESPACE || readText(files, `${directory}/namespace`)?.trim() || "default",
  }
}
