// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { CronJob, Job } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const cronJobs: Descriptor<CronJob> = describe("batch/v1 CronJob cronjobs cronjob cj all n cdDglpuw status::gpu")
export const jobs: Descriptor<Job> = describe("batch/v1 Job jobs job  all n cdDglpuw status::gpu")
