import { apiVersionOf, type Descriptor, type KubeObject, keyOf, resourceNameOf } from "@pilothouse/api"
import type { Log } from "@pilothouse/seams"
import { withType } from "../client/wire/response.ts"

/**
 * Passes objects of the expected kind, with their type filled in, and logs others: a Table from a server that was asked for one
 * by a proxy, or another version from a broken aggregated server. One unexpected object must not lose all others.
 */
export function expectKind<T extends KubeObject>(of: Descriptor<T>, log: Log): (object: T) => T | undefined {
  const apiVersion = apiVersionOf(of)
  return (object) => {
    const typed = isObject(object) ? withType(of, object) : undefined
    if (typed?.kind === of.kind && typed.apiVersion === apiVersion && isObject(typed.metadata)) return typed
    log.error(`expected objects of ${apiVersion} ${of.kind} from the server, skipped something else`, {
      resource: resourceNameOf(of),
      found: typed === undefined ? String(object) : `${typed.apiVersion} ${typed.kind}`,
      key: isObject(typed?.metadata) ? keyOf(typed) : undefined,
    })
    return undefined
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}
