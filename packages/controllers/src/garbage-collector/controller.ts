import { nodes } from "@pilothouse/api/core/v1"
import { type Controller, controller } from "@pilothouse/runtime"
import { decide } from "./decide.ts"
import { indexes, observe } from "./observe.ts"
import { watches } from "./wake.ts"

/**
 * Deletes what is left behind when its owners have gone: in the background, or before the owner where the owner waits for that.
 * Lets dependents go where an owner is deleted with the policy Orphan. Takes away references to owners that are gone where others are left.
 * Keys are a kind and the key of an object in it ("Pod default/web-1"); the kinds are those of kinds.ts.
 * Never believes a cache that an owner is gone: the server itself is asked, and whatever changed meanwhile is not deleted.
 */
export function garbageCollectorController(): Controller {
  return controller("garbage-collector-controller", {
    for: nodes,
    // The watches say which keys, of all kinds.
    when: () => false,
    watches,
    indexes,
    concurrency: 20,
    observe,
    decide,
  })
}
