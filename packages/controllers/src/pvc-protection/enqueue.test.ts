import { type Pod, pods } from "@pilothouse/api/core/v1"
import type { Change, Reader } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { podWith } from "../persistent-volume/testing/objects.ts"
import { pvcProtectionController } from "./controller.ts"

function pod(more: { readonly metadata?: object; readonly status?: Pod["status"] } = {}, node: string | undefined = "node-1"): Pod {
  const made = podWith("web", "data", node === "" ? {} : { node })
  return { ...made, metadata: { ...made.metadata, uid: "web", ...more.metadata }, status: { phase: "Running", ...more.status } }
}

/** The claims that are looked at for it. */
function wokenBy(change: Change<Pod>): readonly string[] {
  const ofPods = (pvcProtectionController().watches ?? []).filter(({ of }) => of.plural === pods.plural)
  return ofPods.filter(({ predicate: when }) => when?.(change, false) !== false).flatMap(({ map }) => map(change.object, {} as Reader))
}

describe("a change of a pod enqueues the claims that it names when it can affect them", () => {
  const deletionTimestamp = "2026-01-05T09:00:00Z"
  const ready = pod({ status: { conditions: [{ type: "Ready", status: "True" }] } })
  const main = { name: "main", image: "example/main:1", imageID: "", ready: true, restartCount: 0 }
  const runs = { ...main, state: { running: {} } }
  const ended = { ...main, state: { terminated: { exitCode: 0 } } }
  const stopping = { deletionTimestamp, deletionGracePeriodSeconds: 30 }
  const updated = (old: Pod, object: Pod): Change<Pod> => ({ type: "updated", old, object })
  test.each<[name: string, change: Change<Pod>, isWoken: boolean]>([
    ["it came", { type: "added", object: pod() }, true],
    ["it is gone", { type: "deleted", object: pod(), finalStateUnknown: false }, true],
    ["it was given a node: it keeps the claim then, and nothing is written for that", updated(pod({}, ""), pod()), false],
    ["it became ready", updated(pod(), ready), false],
    ["it became unready", updated(ready, pod()), false],
    ["a label of it changed", updated(pod(), pod({ metadata: { labels: { changed: "yes" } } })), false],
    ["it has finished", updated(pod(), pod({ status: { phase: "Succeeded" } })), true],
    [
      "it is to stop, and runs",
      updated(pod({ status: { containerStatuses: [runs] } }), pod({ metadata: stopping, status: { containerStatuses: [runs] } })),
      false,
    ],
    [
      "it was to stop, and its containers have",
      updated(
        pod({ metadata: stopping, status: { containerStatuses: [runs] } }),
        pod({ metadata: stopping, status: { containerStatuses: [ended] } }),
      ),
      true,
    ],
    [
      "it is to stop, and is forced to",
      updated(
        pod({ metadata: stopping, status: { containerStatuses: [runs] } }),
        pod({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0 }, status: { containerStatuses: [runs] } }),
      ),
      true,
    ],
    ["another one has its name now", updated(pod(), pod({ metadata: { uid: "another" } })), true],
    ["nothing happened", { type: "resync", object: pod() }, false],
  ])("%s", (_name, change, isWoken) => {
    expect(wokenBy(change)).toEqual(isWoken ? ["default/data"] : [])
  })
})
