import { counterFamily, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"
import { staleSkipsFamily } from "../shared/stale-sync-skips.ts"

const subsystem = "job_controller"
const ofSync = ["completion_mode", "result", "action"]

export const jobFamilies = {
  seconds: histogramFamily(
    `${subsystem}_job_sync_duration_seconds`,
    ofSync,
    "How long a look at a Job took",
    exponentialBuckets(0.004, 2, 15),
  ),
  syncs: counterFamily(`${subsystem}_job_syncs_total`, ofSync, "Looks at Jobs, by what was done"),
  finished: counterFamily(`${subsystem}_jobs_finished_total`, ["completion_mode", "result", "reason"], "Jobs that have ended"),
  external: counterFamily(
    `${subsystem}_jobs_by_external_controller_total`,
    ["controller_name"],
    "Jobs that another controller manages; after a hundred names all further ones are `other`",
  ),
  podsFinished: counterFamily(
    `${subsystem}_job_pods_finished_total`,
    ["completion_mode", "result"],
    "Pods of Jobs that have ended and were counted",
  ),
  handled: counterFamily(
    `${subsystem}_pod_failures_handled_by_failure_policy_total`,
    ["action"],
    "Pods that failed and were matched by a rule of their Job's failure policy",
  ),
  tracked: counterFamily(
    `${subsystem}_terminated_pods_tracking_finalizer_total`,
    ["event"],
    "Pods that have ended and got (add) or lost (delete) the finalizer they are tracked by",
  ),
  indexes: counterFamily(`${subsystem}_job_finished_indexes_total`, ["status", "backoffLimit"], "Indexes that are done or have failed"),
  created: counterFamily(`${subsystem}_job_pods_creation_total`, ["reason", "status"], "Pods that were made for Jobs, or could not be"),
  skips: staleSkipsFamily(subsystem, "Jobs"),
}
