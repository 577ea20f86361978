import { delimiter, join, resolve } from "node:path"
import { type Files, PilothouseError, readText } from "@pilothouse/seams"
import { withAbsolutePaths } from "./absolute-paths.ts"
import { mergeKubeconfigs } from "./merge.ts"
import { parseKubeconfig } from "./parse.ts"
import type { Environment, Kubeconfig } from "./types.ts"

export interface LoadOptions {
  readonly files: Files
  readonly environment: Environment
  /** This file and no other. */
  readonly path?: string
}

/** The files that kubectl would read: the given one, those in KUBECONFIG, or ~/.kube/config. Undefined when there is none. */
export async function loadKubeconfig({ files, environment, path }: LoadOptions): Promise<Kubeconfig | undefined> {
  if (path !== undefined) {
    const config = await readKubeconfig(files, resolve(path))
    if (config === undefined) throw new PilothouseError("FILE", `expected a kubeconfig at ${resolve(path)}, found no file; check the path`)
    return config
  }
  const found: Kubeconfig[] = []
  for (const candidate of kubeconfigPaths(environment)) {
    const config = await readKubeconfig(files, candidate)
    // A file that is not there is nothing, as for kubectl: the same KUBECONFIG serves on several machines.
    if (config !== undefined) found.push(config)
  }
  return found.length === 0 ? undefined : mergeKubeconfigs(found)
}

/** Where to look, in order; each path once. */
export function kubeconfigPaths(environment: Environment): readonly string[] {
  const listed = environment.KUBECONFIG
  if (listed) return [...new Set(listed.split(delimiter).filter((path) => path !== ""))].map((path) => resolve(path))
  const home = environment.HOME || environment.USERPROFILE
  return home ? [join(home, ".kube", "config")] : []
}

async function readKubeconfig(files: Files, path: string): Promise<Kubeconfig | undefined> {
  const text = readText(files, path)
  return text === undefined ? undefined : withAbsolutePaths(await parseKubeconfig(text, path), path)
}
