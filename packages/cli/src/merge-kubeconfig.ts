import { type Files, PilothouseError, readText } from "@pilothouse/seams"
import { stringify } from "yaml"
import { type Kubeconfig, ownName } from "./kubeconfig.ts"
import { parseCredentials } from "./parse-credentials.ts"

/** Puts our entries into a kubeconfig that has others, which stay as they are. One that lies elsewhere behind a link stays there. */
export function mergeKubeconfig(files: Files, named: string, config: Kubeconfig): void {
  const path = files.realPath(named) ?? named
  const existing = readText(files, path)
  const merged = existing === undefined || existing.trim() === "" ? config : merge(readKubeconfig(existing, path), config)
  files.write(path, stringify(merged), { mode: 0o600 })
}

function readKubeconfig(text: string, path: string): Partial<Kubeconfig> {
  const found = parseCredentials(text, path)
  if (typeof found === "object" && found !== null && !Array.isArray(found)) return found
  throw new PilothouseError("INVALID", `expected a kubeconfig in ${path}, found no map; mend or move the file, or leave --merge out`)
}

function merge(existing: Partial<Kubeconfig>, ours: Kubeconfig): Kubeconfig {
  const join = (field: "clusters" | "users" | "contexts") => [
    ...(existing[field] ?? []).filter((entry) => entry.name !== ownName),
    ...ours[field],
  ]
  return { ...existing, ...ours, clusters: join("clusters"), users: join("users"), contexts: join("contexts") }
}
