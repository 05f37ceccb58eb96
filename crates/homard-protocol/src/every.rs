//! Every method and every event by its type, for programs that walk over all of them: the page's types are made of
//! these. A gateway's test says when a method it answers is missing here.

/// Calls a macro with every method, `connect` excepted, as `[module Method …]` below `homard_protocol::methods`.
#[macro_export]
macro_rules! every_method {
    ($call:ident) => {
        $call! {
            [accounts ChannelsLogout ChannelsPairingApprove ChannelsPairingDismiss ChannelsPairingList
                ChannelsStart ChannelsStop WebLoginStart WebLoginWait]
            [agent Agent AgentWait AgentsList ModelsList]
            [agents AgentsCreate AgentsDelete AgentsFilesGet AgentsFilesList AgentsFilesSet AgentsUpdate]
            [approvals ExecApprovalGet ExecApprovalList ExecApprovalRequest ExecApprovalResolve
                ExecApprovalWaitDecision PluginApprovalList PluginApprovalResolve]
            [auth_status ModelsAuthStatus]
            [channel_check ChannelsCheck]
            [channels ChannelsPlatforms ChannelsStatus]
            [chat ChatAbort ChatHistory ChatInject ChatSend]
            [chat_message ChatMessageGet]
            [chat_startup ChatMetadata ChatStartup CommandsList]
            [compact SessionsCompact]
            [config ConfigApply ConfigGet ConfigPatch ConfigSchema ConfigSet]
            [config_lookup ConfigOpenFile ConfigSchemaLookup]
            [cron CronAdd CronGet CronList CronPreview CronRemove CronRun CronRuns CronStatus CronUpdate]
            [dead_letters ChannelsDeadLetters]
            [devices DevicePairApprove DevicePairList DevicePairReject DevicePairRemove DevicePairRename
                DeviceTokenRevoke DeviceTokenRotate]
            [exec_policy ExecApprovalsGet ExecApprovalsSet]
            [memory MemoryGet MemoryList MemorySearch]
            [model_auth ModelsAuthImport ModelsAuthLogout ModelsAuthSetApiKey ModelsProbe]
            [node_exec_policy ExecApprovalsNodeGet ExecApprovalsNodeSet]
            [node_invoke NodeEvent NodeInvoke NodeInvokeProgress NodeInvokeResult NodePendingAck
                NodePendingDrain NodePendingEnqueue NodePendingPull NodePluginSurfaceRefresh]
            [nodes NodeDescribe NodeList NodePairApprove NodePairList NodePairReject NodePairRemove
                NodeRename]
            [page_load BoardGet MentionsList OpenclawApprovalList PluginSurfaceRefresh PluginsControlUiList
                ProjectsList SessionDiscussionInfo SessionMembersListEvidence SessionPullRequestsSubscribe
                SessionsCatalogList SessionsObserverVisibility SessionsViewersSet UsersPrefsGet]
            [sending MessageAction Poll Send]
            [session_acts SessionsAbort SessionsCreate SessionsGet SessionsSend SessionsSteer]
            [session_archive SessionsCleanup SessionsEnded SessionsRestore]
            [session_branches SessionsBranchesList SessionsBranchesSwitch SessionsFork SessionsRewind]
            [session_context SessionsContext]
            [session_groups SessionsGroupsDefaults SessionsGroupsDelete SessionsGroupsList SessionsGroupsPut
                SessionsGroupsRename SessionsGroupsUpdate]
            [session_look AgentIdentityGet SessionsDescribe SessionsMessagesSubscribe
                SessionsMessagesUnsubscribe]
            [session_search SessionsSearch]
            [sessions SessionsDelete SessionsList SessionsPatch SessionsPreview SessionsReset
                SessionsResolve SessionsSubscribe]
            [setup_codes DevicePairSetupCode DevicePairSetupStatus DeviceScopesRequestUpgrade
                DeviceScopesWaitUpgrade]
            [side_lists ProgressCardGet QuestionList SessionsCompanionState TaskSuggestionsList TasksList]
            [skills SkillsBins SkillsInstall SkillsStatus SkillsUpdate]
            [system Health LastHeartbeat LogsTail Status SystemPresence]
            [tools ToolsCatalog ToolsEffective ToolsExplain]
            [tools_invoke ToolsInvoke]
            [undo UndoApply UndoList]
            [upkeep BrowserRequest GatewayIdentityGet SecretsReload SystemInfo UpdateRun UpdateStatus]
            [usage UsageCost UsageRuns UsageStatus]
            [usage::hours UsageHours]
            [usage::sessions SessionsUsage SessionsUsageLogs SessionsUsageTimeseries]
            [voice TalkCatalog TalkConfig TalkMode TalkSpeak TtsConvert TtsDisable TtsEnable TtsProviders
                TtsSetProvider TtsStatus]
            [voicewake VoicewakeGet VoicewakeSet]
            [wake SetHeartbeats SystemEvent WakeUp]
            [wizard WizardCancel WizardNext WizardStart WizardStatus]
        }
    };
}

/// Calls a macro with every event, as types of `homard_protocol::events`.
#[macro_export]
macro_rules! every_event {
    ($call:ident) => {
        $call! {
            AgentEvent ChannelsPairingRequestedEvent ChannelsPairingResolvedEvent ChatEvent CronEvent
            DevicePairRequestedEvent DevicePairResolvedEvent DevicePairSetupCompletedEvent
            ExecApprovalRequestedEvent ExecApprovalResolvedEvent HealthEvent NodeHostStatsEvent
            NodePairRequestedEvent NodePairResolvedEvent NodePresenceEvent PluginApprovalRequestedEvent
            PluginApprovalResolvedEvent PresenceEvent SessionMessageEvent SessionsChangedEvent ShutdownEvent
            SuspensionEvent TalkModeEvent TickEvent VoicewakeChangedEvent
        }
    };
}
