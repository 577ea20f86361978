import { resolve } from "node:path"
import { clusterOfKuryrConf } from "@pilothouse/openstack"
import type { Files } from "@pilothouse/seams"
import { sectionsIn } from "./cloud-settings.ts"

/** Where a kubeconfig is, and how to read it. */
export interface KubeconfigPlace {
  readonly kubeconfig: string
  readonly files: Files
}

/** The cluster that [kubernetes] of a kuryr.conf leads to: files in which that kuryr.conf is a kubeconfig. Undefined where it names none. */
export function clusterInKuryrConf(path: string, files: Files): KubeconfigPlace | undefined {
  const found = clusterOfKuryrConf(sectionsIn(path, files) as never)
  if (found === undefined) return undefined
  const kubeconfig = resolve(path)
  const bytes = new TextEncoder().encode(JSON.stringify(found))
  return { kubeconfig, files: { ...files, read: (asked) => (asked === kubeconfig ? bytes : files.read(asked)) } }
}
