import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Pod } from "@pilothouse/api/core/v1"

/** A pod as a cluster has it: 4.4 KB of JSON. */
export const pod: Pod = JSON.parse(readFileSync(join(import.meta.dirname, "..", "samples", "pod.json"), "utf8"))

export const size = `${(JSON.stringify(pod).length / 1000).toFixed(1)} KB`
