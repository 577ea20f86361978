import { type Descriptor, goJson, isAlreadyExists, isConflict, isNotFound, type KubeObject } from "@pilothouse/api"
import { threeWayStrategicMerge } from "@pilothouse/api/patch"
import { schemaOf } from "@pilothouse/api/schemas"
import type { Client } from "@pilothouse/runtime"
import { parseJson } from "@pilothouse/seams"

export type Applied = "created" | "configured" | "unchanged"

/** Where kubectl keeps what was applied last, so that a later apply knows what to take away. Both can be used in turn. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
const tries = 5

/** Creates the object, or changes the one that is there to what is asked: fields that others set stay as they are. */
export async function applyObject(
  client: Client,
  of: Descriptor,
  desired: KubeObject,
  fieldManager = "pilothouse-client-side-apply",
): Promise<Applied> {
  // A field that the server does not know is a slip of the pen: it is refused, as kubectl has it.
  const strict = { fieldManager, fieldValidation: "Strict" } as const
  const remembered = withLastApplied(desired)
  for (let attempt = 1; ; attempt++) {
    const found = await existing(client, of, desired)
    try {
      if (found === undefined) {
        await client.create(of, remembered, strict)
        return "created"
      }
      const { patch, type } = patchFor(of, found, remembered)
      if (Object.keys(patch).length === 0) return "unchanged"
      const changed = await client.patch(of, desired, patch, { type, ...strict })
      return changed.metadata.resourceVersion === found.metadata.resourceVersion ? "unchanged" : "configured"
    } catch (error) {
      // Another client made, changed or deleted it in between: read it again.
      const moved = isAlreadyExists(error) || isConflict(error) || (isNotFound(error) && found !== undefined)
      if (!moved || attempt === tries) throw error
    }
  }
}

async function existing(client: Client, of: Descriptor, { metadata }: KubeObject): Promise<KubeObject | undefined> {
  if (metadata.name === undefined) return undefined
  try {
    return await client.get(of, { metadata })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

interface ApplyPatch {
  readonly patch: Readonly<Record<string, unknown>>
  readonly type: "strategic" | "merge"
}

/** Kinds without a schema of ours (custom resources) take merge patches only, in which every list is a whole. */
function patchFor(of: Descriptor, current: KubeObject, modified: KubeObject): ApplyPatch {
  const known = schemaOf(of)
  const schema = known ?? { type: "object" as const }
  const patch = threeWayStrategicMerge({ original: previous(current), modified, current, schema, overwrite: true })
  return { patch, type: known === undefined ? "merge" : "strategic" }
}

function previous({ metadata }: KubeObject): unknown {
  const text = metadata.annotations?.[lastApplied]
  if (text === undefined) return undefined
  try {
    return parseJson(text)
  } catch {
    // Written by hand, or cut: then it is unknown what was applied, and nothing is removed.
    return undefined
  }
}

function withLastApplied(desired: KubeObject): KubeObject {
  const { [lastApplied]: _, ...annotations } = desired.metadata.annotations ?? {}
  const clean = { ...desired, metadata: { ...desired.metadata, annotations } }
  return {
    ...clean,
    metadata: { ...clean.metadata, annotations: { ...annotations, [lastApplied]: `${goJson(clean)}\n` } },
  }
}
