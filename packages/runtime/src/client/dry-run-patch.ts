import type { KubeObject } from "@pilothouse/api"

/** An object with a patch applied. The algebra and the schemas are loaded here: only who tries out patches needs them. */
export async function applyPatch(object: unknown, patch: unknown, contentType: string): Promise<unknown> {
  const { applyJsonPatch, applyMergePatch, applyStrategicMerge } = await import("@pilothouse/api/patch")
  if (contentType.startsWith("application/json-patch")) return applyJsonPatch(object, patch)
  if (!contentType.startsWith("application/strategic-merge-patch")) return applyMergePatch(object, patch)
  const { schemaOf } = await import("@pilothouse/api/schemas")
  const { apiVersion, kind } = object as KubeObject
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  const schema = schemaOf({ group, version, kind })
  // Custom resources have no strategic merge; servers refuse it.
  return schema === undefined ? applyMergePatch(object, patch) : applyStrategicMerge(object, patch, schema)
}
