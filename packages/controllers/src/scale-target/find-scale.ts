import { type Descriptor, isUnknownResource, pathOf } from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import type { Reader } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"

/** The object to scale, as an autoscaler or an owner reference names it. */
export interface ScaleTargetRef {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
  readonly namespace: string
}

/** A scale, and the resource under which it was found. */
export interface FoundScale {
  readonly of: Descriptor
  readonly scale: Scale
}

/**
 * The scale of any object that has one, built-in or custom. Every version of its kind is tried, whatever version was named;
 * the first failure is thrown where none of them has it.
 */
export async function findScale(read: Reader, target: ScaleTargetRef): Promise<FoundScale> {
  const { group } = parseGroupVersion(target.apiVersion)
  const versions = await read.versionsOf(group, target.kind)
  let failure: unknown
  for (const of of versions) {
    try {
      return { of, scale: await getScale(read, of, target) }
    } catch (error) {
      failure ??= error
    }
  }
  throw failure ?? new PilothouseError("INVALID", `no matches for kind "${target.kind}" in group "${group}"`)
}

/** Throws NotFound both where the object is missing and where its resource has no scales. */
export async function getScale(read: Reader, of: Descriptor, { namespace, name }: Omit<ScaleTargetRef, "kind">): Promise<Scale> {
  try {
    return (await read.ask({ path: pathOf(of, { namespace, name, subresource: "scale" }), of, name })) as Scale
  } catch (error) {
    // The resource, not the object, is unknown: a definition was deleted or changed its versions. Discovery is refreshed for the next reconcile.
    if (isUnknownResource(error)) await read.discovered()
    throw error
  }
}

/** Reports whether discovery says that objects of the resource have a scale of the one form that is understood here. */
export function hasScales({ subresources }: Descriptor): boolean {
  return subresources.some(({ name, kind }) => name === "scale" && kind === "autoscaling/v1/Scale")
}

/** "apps/v1", "v1", and nothing at all, which means the core group. */
export function parseGroupVersion(apiVersion = ""): { readonly group: string; readonly version: string } {
  const parts = apiVersion.split("/")
  if (parts.length > 2) throw new PilothouseError("INVALID", `unexpected GroupVersion string: ${apiVersion}`)
  const [version = "", group = ""] = parts.reverse()
  return { group, version }
}
