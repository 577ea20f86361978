import { staleSkipsFamily } from "../shared/stale-sync-skips.ts"

export const daemonSetFamilies = { skips: staleSkipsFamily("daemonset_controller", "DaemonSets") }
