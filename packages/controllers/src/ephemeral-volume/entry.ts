import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { ephemeralVolumeController } from "./controller.ts"

export const ephemeralVolumeDescriptor = descriptor({
  name: "ephemeral-volume-controller",
  aliases: ["ephemeral-volume"],
  flags: { "concurrent-ephemeralvolume-syncs": countFlag(5, "pods with ephemeral volumes worked on at once") },
  create: (set, { metrics }) => ephemeralVolumeController({ metrics, concurrentSyncs: set["concurrent-ephemeralvolume-syncs"] }),
})
