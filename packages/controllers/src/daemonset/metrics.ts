import { staleSkipsFamily } from "../stale-skips.ts"

export const daemonSetFamilies = { skips: staleSkipsFamily("daemonset_controller", "DaemonSets") }
