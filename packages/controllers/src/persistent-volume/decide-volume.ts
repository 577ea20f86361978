import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { boundByController, hasAnnotation } from "./annotations.ts"
import { unbind } from "./bind.ts"
import { claimKeyOf } from "./indexes.ts"
import { hasSameMode } from "./match.ts"
import type { ObservedVolume } from "./observe-volume.ts"
import { isReleased, isUnneeded, type ReclaimOptions, reclaim } from "./reclaim.ts"
import { withRightFinalizers } from "./reclaim-finalizer.ts"
import { writePhase } from "./volume-phase.ts"

/** Keeps the phase true, takes back what came to nothing, and reclaims what nobody needs. */
export function decideVolume(observed: ObservedVolume, options: ReclaimOptions): Plan {
  const { volume, claim } = observed
  if (isUnneeded(volume, claim)) return release(observed, options)
  const right = withRightFinalizers(volume)
  if (right !== volume) return plan().update(right, "its finalizers follow its reclaim policy")
  if (!volume.spec?.claimRef?.uid)
    return phase(observed, "Available", claimKeyOf(volume) === undefined ? "nobody has it" : "it is reserved")
  if (claim?.spec?.volumeName === volume.metadata.name) return phase(observed, "Bound", `${claimKeyOf(volume)} has it`)
  if (claim?.spec?.volumeName) return takeBack(observed)
  return hasSameMode(volume, claim!) ? plan().waitFor("its claim to be bound").nothing("the claim is bound next") : refuse(observed)
}

/** The write says so at the version that was seen: only then, in a look of its own, is anything done about it. */
function release(observed: ObservedVolume, options: ReclaimOptions): Plan {
  const { volume, claim } = observed
  const built = plan()
  if (isReleased(volume)) return reclaim(built, observed, options)
  const reason = claim === undefined ? `its claim ${claimKeyOf(volume)} is gone` : `its claim has ${claim.spec?.volumeName}`
  writePhase(built, volume, "Released", reason)
  return built
}

function phase({ volume }: ObservedVolume, wanted: "Available" | "Bound", reason: string): Plan {
  const built = plan()
  writePhase(built, volume, wanted, reason)
  return built.steps.length > 0 ? built : built.nothing(reason)
}

function takeBack({ volume, claim }: ObservedVolume): Plan {
  const built = plan()
  const who = hasAnnotation(volume, boundByController) ? "it was chosen for" : "it is reserved for"
  unbind(built, volume, `${who} ${claimKeyOf(volume)}, which has ${claim?.spec?.volumeName}`)
  return built
}

function refuse({ volume, claim }: ObservedVolume): PlanBuilder {
  const [ofVolume, ofClaim] = [volume.metadata.name, claim?.metadata.name]
  const toVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${ofClaim}" due to incompatible volumeMode.`
  const toClaim = `Cannot bind PersistentVolume "${ofVolume}" to requested PersistentVolumeClaim due to incompatible volumeMode.`
  return plan()
    .event(volume, "Warning", "VolumeMismatch", toVolume)
    .event(claim!, "Warning", "VolumeMismatch", toClaim)
    .nothing(toVolume, { stuck: true })
}
