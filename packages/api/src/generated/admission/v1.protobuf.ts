// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
AdmissionRequest uid! kind!meta/v1.GroupVersionKind resource!meta/v1.GroupVersionResource subResource. name. namespace. operation! userInfo!authentication/v1.UserInfo object!r oldObject!r dryRun?b options!r requestKind?meta/v1.GroupVersionKind requestResource?meta/v1.GroupVersionResource requestSubResource.
AdmissionResponse uid! allowed!b status?meta/v1.Status patch.y patchType? auditAnnotations% warnings*
@AdmissionReview request?AdmissionRequest response?AdmissionResponse
`
