"""Calls of constructors of `keras`, by room; what `get_config` tells of them is recorded from Keras 3.15.1."""

from __future__ import annotations

import json
from typing import Any

CALLS = {
    "layers": """
        Activation('relu'); Activation('relu',name='a'); ActivityRegularization(l1=.1); Add(); AdditiveAttention();
        AdditiveAttention(use_scale=False,dropout=.2); AlphaDropout(.2,seed=3); AlphaDropout(.2);
        Attention(use_scale=True,score_mode='dot'); Attention(); Average();
        AveragePooling2D((2,3),strides=1,padding='same'); BatchNormalization();
        BatchNormalization(axis=1,momentum=.9,scale=False,gamma_regularizer='l2');
        BatchNormalization(synchronized=False); Bidirectional(layers.LSTM(3));
        Bidirectional(layers.GRU(3,return_sequences=True),merge_mode='sum');
        Bidirectional(layers.GRU(3),backward_layer=layers.GRU(3,go_backwards=True)); CategoryEncoding(num_tokens=4);
        CategoryEncoding(num_tokens=4,output_mode='count',sparse=False); CenterCrop(3,4); Concatenate();
        Concatenate(axis=1); Conv1D(3,2); Conv1D(3,2,padding='causal',dilation_rate=2); Conv1DTranspose(3,2);
        Conv2D(3,2);
        Conv2D(3,(2,3),strides=(1,2),activation='relu',kernel_regularizer=keras.regularizers.L2(.1),bias_initializer='ones',kernel_constraint=keras.constraints.NonNeg());
        Conv2DTranspose(3,2); Conv2DTranspose(3,2,output_padding=1,strides=2); Conv3D(3,2); Conv3DTranspose(3,2);
        ConvLSTM1D(3,2); ConvLSTM2D(3,2); ConvLSTM2D(3,(2,2),return_sequences=True); ConvLSTM3D(3,2); Cropping1D();
        Cropping2D(); Cropping2D(((1,2),(2,1))); Cropping3D(); Dense(3);
        Dense(3,activation='relu',use_bias=False,kernel_regularizer='l1',name='d',dtype='float64',trainable=False);
        Dense(3,activation=keras.activations.gelu,kernel_initializer=keras.initializers.RandomNormal(stddev=.1,seed=3));
        Dense(4,input_shape=(3,)); DepthwiseConv1D(2); DepthwiseConv2D(2); DepthwiseConv2D(2,depth_multiplier=2);
        Discretization(bin_boundaries=[1.,2.]); Discretization(num_bins=3);
        Discretization(bin_boundaries=[1.,2.],output_mode='one_hot'); Dot(axes=1); Dot(axes=(1,2),normalize=True);
        Dropout(.5); Dropout(.5,noise_shape=(None,1),seed=2); ELU(); ELU(alpha=.5);
        EinsumDense('ab,bc->ac',output_shape=3);
        EinsumDense('abc,cd->abd',output_shape=(None,3),bias_axes='d',activation='relu'); Embedding(3,4);
        Embedding(3,4,mask_zero=True,embeddings_regularizer='l2'); Flatten(); Flatten(data_format='channels_first');
        GRU(3); GRU(3,reset_after=False,dropout=.1,return_sequences=True,seed=1); GRUCell(3); GaussianDropout(.3);
        GaussianDropout(.3,seed=1); GaussianNoise(.3); GlobalAveragePooling1D(); GlobalAveragePooling2D(keepdims=True);
        GlobalAveragePooling3D(); GlobalMaxPooling1D(); GlobalMaxPooling2D(); GlobalMaxPooling3D();
        GroupNormalization(); GroupNormalization(groups=2,axis=1); Identity(); InputLayer(shape=(3,));
        InputLayer(batch_shape=(2,3),dtype='int32',name='i'); InputLayer(shape=(3,),sparse=True);
        InputLayer(shape=(3,),batch_size=2); IntegerLookup(); IntegerLookup(vocabulary=[1,2,3]);
        IntegerLookup(max_tokens=4,output_mode='multi_hot',num_oov_indices=2); LSTM(3);
        LSTM(3,unit_forget_bias=False,recurrent_dropout=.1,stateful=True,unroll=True,go_backwards=True); LSTMCell(3);
        Lambda(keras.activations.relu); LayerNormalization(); LayerNormalization(axis=[1,2],epsilon=1e-2); LeakyReLU();
        LeakyReLU(negative_slope=.1); Masking(); Masking(mask_value=-1.); MaxPooling1D(); MaxPooling2D();
        MaxPooling2D(3,2); MaxPooling3D(); Maximum(); Minimum(); MultiHeadAttention(2,3);
        MultiHeadAttention(num_heads=2,key_dim=3,value_dim=4,dropout=.1,attention_axes=(1,),output_shape=5);
        Multiply(); Normalization(); Normalization(axis=None,mean=3.,variance=2.);
        Normalization(mean=[1.,2.],variance=[1.,2.]); Normalization(invert=True); PReLU(); PReLU(shared_axes=[1,2]);
        Permute((2,1)); RMSNormalization(); RNN(layers.LSTMCell(3));
        RNN([layers.GRUCell(2),layers.GRUCell(3)],return_state=True);
        RNN(layers.StackedRNNCells([layers.GRUCell(2),layers.SimpleRNNCell(3)])); ReLU();
        ReLU(max_value=6.,negative_slope=.1,threshold=.2); RepeatVector(3); Rescaling(1/255.);
        Rescaling(scale=[1.,2.],offset=[1.,2.]); Reshape((2,-1)); Resizing(3,4);
        Resizing(3,4,interpolation='nearest',crop_to_aspect_ratio=True); SeparableConv1D(3,2); SeparableConv2D(3,2);
        SimpleRNN(3); SimpleRNN(3,activation='relu',dropout=.2,return_state=True); SimpleRNNCell(3); Softmax();
        Softmax(axis=(1,2)); SpatialDropout1D(.2); SpatialDropout2D(.2); SpatialDropout3D(.2,seed=2);
        StackedRNNCells([layers.GRUCell(2),layers.SimpleRNNCell(3)]); StringLookup();
        StringLookup(vocabulary=['a','b']); StringLookup(num_oov_indices=0,vocabulary=['a'],invert=True);
        StringLookup(max_tokens=9,output_mode='tf_idf',vocabulary=['a'],idf_weights=[.5]); Subtract();
        TextVectorization(); TextVectorization(max_tokens=10,output_sequence_length=4,ngrams=2,vocabulary=['a','b']);
        TextVectorization(output_mode='tf_idf',standardize='lower',split='character');
        TimeDistributed(layers.Dense(3)); UnitNormalization(); UnitNormalization(axis=1); UpSampling1D();
        UpSampling2D(); UpSampling2D((2,3),interpolation='bilinear'); UpSampling3D(); Wrapper(layers.Dense(2));
        ZeroPadding1D(); ZeroPadding1D((1,2)); ZeroPadding2D(); ZeroPadding2D(3); ZeroPadding3D();
        Bidirectional(layers.RNN(layers.LSTMCell(3)))
    """,
    "losses": """
        BinaryCrossentropy(); BinaryCrossentropy(from_logits=True,label_smoothing=.1,axis=1,name='b',reduction='sum');
        BinaryFocalCrossentropy(); BinaryFocalCrossentropy(apply_class_balancing=True,alpha=.2,gamma=1.);
        CategoricalCrossentropy(); CategoricalCrossentropy(label_smoothing=.1); CategoricalFocalCrossentropy();
        CategoricalFocalCrossentropy(alpha=[.1,.2]); CategoricalGeneralizedCrossEntropy(); CategoricalHinge();
        CosineSimilarity(); CosineSimilarity(axis=1,reduction='none'); Dice(); Dice(axis=(1,2)); Hinge(); Huber();
        Huber(delta=2.); KLDivergence(); LogCosh(); MeanAbsoluteError(); MeanAbsolutePercentageError();
        MeanSquaredError(); MeanSquaredError(dtype='float64'); MeanSquaredLogarithmicError(); Poisson();
        SparseCategoricalCrossentropy(); SparseCategoricalCrossentropy(from_logits=True,ignore_class=2);
        SquaredHinge(); Tversky(); Tversky(alpha=.2,axis=1)
    """,
    "metrics": """
        AUC();
        AUC(num_thresholds=5,curve='PR',multi_label=True,num_labels=3,label_weights=[1.,2.,3.],from_logits=True);
        AUC(thresholds=[.1,.5]); Accuracy(); BinaryAccuracy(); BinaryAccuracy(threshold=.2,name='b',dtype='float64');
        BinaryCrossentropy(); BinaryCrossentropy(from_logits=True); BinaryIoU();
        BinaryIoU(target_class_ids=[0],threshold=.3); CategoricalAccuracy(); CategoricalCrossentropy();
        CategoricalCrossentropy(axis=1); CategoricalHinge(); ConcordanceCorrelation(); CosineSimilarity();
        CosineSimilarity(axis=1); F1Score(); F1Score(average='micro',threshold=.5); FBetaScore(beta=2.);
        FalseNegatives(); FalseNegatives(thresholds=[.1,.2]); FalsePositives(); Hinge();
        IoU(num_classes=2,target_class_ids=[0]); KLDivergence(); LogCoshError(); Mean(); Mean(name='m');
        MeanAbsoluteError(); MeanAbsolutePercentageError(); MeanIoU(num_classes=3);
        MeanIoU(num_classes=3,ignore_class=0,sparse_y_pred=False);
        MeanMetricWrapper(keras.losses.mean_squared_error,name='w'); MeanSquaredError(); MeanSquaredLogarithmicError();
        OneHotIoU(num_classes=2,target_class_ids=[0]); OneHotMeanIoU(num_classes=2); PearsonCorrelation();
        PearsonCorrelation(axis=1); Poisson(); Precision(); Precision(top_k=2,class_id=1); Precision(thresholds=.3);
        PrecisionAtRecall(.5); R2Score(); R2Score(class_aggregation=None,num_regressors=2); Recall();
        RecallAtPrecision(.5,num_thresholds=10); RootMeanSquaredError(); SensitivityAtSpecificity(.5,class_id=1);
        SparseCategoricalAccuracy(); SparseCategoricalCrossentropy();
        SparseCategoricalCrossentropy(from_logits=True,axis=1); SparseTopKCategoricalAccuracy();
        SparseTopKCategoricalAccuracy(k=3,from_sorted_ids=True); SpecificityAtSensitivity(.5); SquaredHinge(); Sum();
        TopKCategoricalAccuracy(); TopKCategoricalAccuracy(k=2); TrueNegatives(); TruePositives()
    """,
    "optimizers": """
        Adadelta(); Adafactor(); Adafactor(relative_step=False,clip_threshold=2.); Adagrad();
        Adagrad(.1,initial_accumulator_value=.2); Adam();
        Adam(.1,amsgrad=True,clipnorm=1.,use_ema=True,ema_overwrite_frequency=3,weight_decay=.1,global_clipnorm=None);
        Adam(optimizers.schedules.ExponentialDecay(.1,10,.9)); AdamW();
        AdamW(weight_decay=.1,loss_scale_factor=2.,gradient_accumulation_steps=2); Adamax(); Ftrl();
        Ftrl(l1_regularization_strength=.1); Lamb(); Lion(); Nadam(); RMSprop();
        RMSprop(centered=True,momentum=.1,name='r'); SGD(); SGD(.1,momentum=.9,nesterov=True,clipvalue=.5);
        SGD(optimizers.schedules.CosineDecay(.1,10,warmup_steps=3,warmup_target=.2));
        schedules.ExponentialDecay(.1,10,.9,staircase=True); schedules.PiecewiseConstantDecay([1,2],[.1,.2,.3]);
        schedules.PolynomialDecay(.1,10); schedules.PolynomialDecay(.1,10,cycle=True,power=2.);
        schedules.InverseTimeDecay(.1,10,.5); schedules.CosineDecay(.1,10); schedules.CosineDecayRestarts(.1,10)
    """,
    "initializers": """
        Constant(2.); Constant(); GlorotNormal(); GlorotNormal(seed=3); GlorotUniform(seed=1); HeNormal(); HeUniform();
        Identity(); Identity(gain=2.); LecunNormal(); LecunUniform(2); Ones(); Zeros(); Orthogonal();
        Orthogonal(gain=2.,seed=1); RandomNormal(); RandomNormal(1.,2.,seed=3); RandomUniform();
        RandomUniform(-1,1,seed=2); TruncatedNormal(); VarianceScaling();
        VarianceScaling(2.,'fan_out','uniform',seed=4)
    """,
    "regularizers": """
        L1(); L1(.1); L2(); L2(.2); L1L2(); L1L2(.1,.2); OrthogonalRegularizer(); OrthogonalRegularizer(.1,'columns')
    """,
    "constraints": """
        MaxNorm(); MaxNorm(3,axis=1); MinMaxNorm(); MinMaxNorm(.1,.2,.5,1); NonNeg(); UnitNorm(); UnitNorm(axis=(0,1))
    """,
}


def made(keras: Any, room: str, call: str) -> Any:
    """The object of a call, in a room that has made none."""
    keras.backend.clear_session()
    names = {**vars(keras), **{name: getattr(getattr(keras, room), name) for name in dir(getattr(keras, room))}}
    return eval(call, {**names, "keras": keras})


def calls(room: str) -> list[str]:
    """The calls of a room."""
    return [call.strip() for call in CALLS[room].split(";")]


def plain(config: Any) -> Any:
    """A configuration as JSON has it: tensors as lists."""
    return json.loads(json.dumps(config, default=lambda value: value.numpy().tolist()))
