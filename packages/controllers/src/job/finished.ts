import type { Job, JobCondition } from "@pilothouse/api/batch/v1"

/** The condition that says how a Job has ended: Complete or Failed. */
export function finishedCondition({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(({ type, status: holds }) => (type === "Complete" || type === "Failed") && holds === "True")
}

export function isFinished(job: Job): boolean {
  return finishedCondition(job) !== undefined
}
