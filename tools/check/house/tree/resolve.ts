import { posix } from "node:path"
import type { Manifest } from "./tree.ts"

/** "@pilothouse/api/apps/v1" → { name: "@pilothouse/api", subpath: "./apps/v1" }; "yaml" → { name: "yaml", subpath: "." }. */
export function splitSpecifier(specifier: string): { readonly name: string; readonly subpath: string } {
  const parts = specifier.split("/")
  const length = specifier.startsWith("@") ? 2 : 1
  const rest = parts.slice(length).join("/")
  return { name: parts.slice(0, length).join("/"), subpath: rest === "" ? "." : `./${rest}` }
}

export function isRelative(specifier: string): boolean {
  return specifier.startsWith("./") || specifier.startsWith("../")
}

/** The file that a relative specifier means. */
export function relativeTarget(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier)
}

/** The source file that a subpath of a workspace package means; undefined when its `exports` do not declare it. */
export function exportTarget(manifest: Manifest, subpath: string): string | undefined {
  for (const [key, target] of Object.entries(manifest.exports ?? {})) {
    const star = matchStar(key, subpath)
    const source = star === undefined ? undefined : sourceOf(target)
    if (star !== undefined && source !== undefined) return posix.join(posix.dirname(manifest.path), source.replace("*", star))
  }
  return undefined
}

/** What the star of a pattern stands for; "" when there is no star; undefined when the pattern does not match. */
function matchStar(pattern: string, text: string): string | undefined {
  const [before = "", after] = pattern.split("*")
  if (after === undefined) return pattern === text ? "" : undefined
  const fits = text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after)
  return fits ? text.slice(before.length, text.length - after.length) : undefined
}

function sourceOf(target: unknown): string | undefined {
  if (typeof target === "string") return target
  const source = typeof target === "object" && target !== null ? (target as Record<string, unknown>)["@pilothouse/source"] : undefined
  return typeof source === "string" ? source : undefined
}
