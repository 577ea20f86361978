/** What a job writes on its pods, under today's names and under those of older versions. */
export const uidLabel = "batch.kubernetes.io/controller-uid"
export const nameLabel = "batch.kubernetes.io/job-name"
export const oldUidLabel = "controller-uid"
export const oldNameLabel = "job-name"
