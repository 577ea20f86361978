import { join } from "node:path"
import type { DefaultTransportOptions } from "@pilothouse/runtime"
import type { Files } from "@pilothouse/seams"
import type { ConnectionOptions } from "../client/connection.ts"

/**
 * A user who names a data directory means the cluster that keeps its data there: before $KUBECONFIG, and after a flag that names a kubeconfig.
 * Undefined: the usual one. As of the one in this directory, only what `up` writes is taken from it.
 */
export function kubeconfigIn(
  named: string | undefined,
  { kubeconfig }: ConnectionOptions,
  files: Pick<Files, "facts">,
): Pick<DefaultTransportOptions, "kubeconfig" | "inlineOnly"> | undefined {
  if (named === undefined || kubeconfig !== undefined) return undefined
  const path = join(named, "kubeconfig")
  return files.facts(path) === undefined ? undefined : { kubeconfig: path, inlineOnly: true }
}
