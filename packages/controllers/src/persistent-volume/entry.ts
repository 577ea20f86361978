import { descriptor, type Needs } from "../descriptor.ts"
import { countFlag, durationFlag, switchFlag, textFlag } from "../flag.ts"
import { persistentVolumeControllers } from "./controller.ts"
import { hostPathPlugin } from "./host-path-plugin.ts"
import type { Plugins } from "./plugins.ts"

const unused = "taken and not used: volumes are scrubbed by this process, not by a pod"

export const persistentVolumeDescriptor = descriptor({
  name: "persistentvolume-binder-controller",
  aliases: ["persistentvolume-binder"],
  flags: {
    "pvclaimbinder-sync-period": durationFlag("15s", "how often claims that wait and volumes that failed are looked at again"),
    "enable-dynamic-provisioning": switchFlag(true, "whether volumes are made for claims that none fits"),
    "enable-hostpath-provisioner": switchFlag(false, "whether directories of this machine are made as volumes"),
    "pv-recycler-pod-template-filepath-nfs": textFlag("", unused),
    "pv-recycler-minimum-timeout-nfs": countFlag(300, unused, 0),
    "pv-recycler-increment-timeout-nfs": countFlag(30, unused, 0),
    "pv-recycler-pod-template-filepath-hostpath": textFlag("", unused),
    "pv-recycler-minimum-timeout-hostpath": countFlag(60, unused, 0),
    "pv-recycler-timeout-increment-hostpath": countFlag(30, unused, 0),
  },
  create: (set, needs) =>
    persistentVolumeControllers({
      metrics: needs.metrics,
      plugins: pluginsOf(needs, set["enable-hostpath-provisioner"]),
      syncPeriod: set["pvclaimbinder-sync-period"],
      dynamicProvisioning: set["enable-dynamic-provisioning"],
    }),
})

/** Directories only where somebody said which. */
function pluginsOf({ volumePlugins = [], files, volumeRoot }: Needs, provisioning: boolean): Plugins {
  if (files === undefined || volumeRoot === undefined) return volumePlugins
  return [...volumePlugins, hostPathPlugin({ files, root: volumeRoot, provisioning })]
}
