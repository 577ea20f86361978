import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { ObservedVolume } from "./observe-volume.ts"
import { writeFailure } from "./volume-phase.ts"
import { VolumeInUseError } from "./volume-plugin.ts"

/** Tells people what a plugin could not do; it is tried again all the same. */
export function settleVolume({ volume }: ObservedVolume, results: readonly Result[]): Plan {
  const built = plan()
  const failed = results.find((result) => result.ok === false)
  if (failed?.ok !== false) return built
  const message = messageOf(failed.error)
  if (failed.operation.do === "recycle-volume") writeFailure(built, volume, "VolumeFailedRecycle", `Recycle failed: ${message}`)
  if (failed.operation.do !== "delete-volume") return built
  if (failed.error instanceof VolumeInUseError) return built.event(volume, "Normal", "VolumeDelete", message)
  writeFailure(built, volume, "VolumeFailedDelete", message)
  return built
}
