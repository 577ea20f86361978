// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { CronJob, Job } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const cronJobs: Descriptor<CronJob> = descriptorFromRow("batch/v1 CronJob cronjobs cronjob cj all n cdDglpuw status::gpu")
export const jobs: Descriptor<Job> = descriptorFromRow("batch/v1 Job jobs job  all n cdDglpuw status::gpu")
