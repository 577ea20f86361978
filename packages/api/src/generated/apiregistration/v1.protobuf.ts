// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@APIService metadata!meta/v1.ObjectMeta spec!APIServiceSpec status!APIServiceStatus
APIServiceCondition type! status! lastTransitionTime!t reason. message.
@APIServiceList metadata!meta/v1.ListMeta items+APIService
APIServiceSpec service?ServiceReference group. version. insecureSkipTLSVerify.b caBundle.y groupPriorityMinimum=7!i versionPriority!i
APIServiceStatus conditions*APIServiceCondition
ServiceReference namespace. name. port?i
`
